import FuzzDriver
import FuzzTargets

fuzz(.filter)
