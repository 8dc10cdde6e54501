import FuzzDriver
import FuzzTargets

fuzz(.fileName)
