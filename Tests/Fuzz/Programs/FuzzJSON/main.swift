import FuzzDriver
import FuzzTargets

fuzz(.json)
