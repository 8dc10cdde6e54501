import FuzzDriver
import FuzzTargets

fuzz(.itemFile)
