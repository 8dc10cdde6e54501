import FuzzDriver
import FuzzTargets

fuzz(.baseLog)
