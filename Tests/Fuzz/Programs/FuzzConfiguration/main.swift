import FuzzDriver
import FuzzTargets

fuzz(.configuration)
