import FuzzDriver
import FuzzTargets

fuzz(.terminal)
