import FuzzDriver
import FuzzTargets

fuzz(.http)
