import FuzzDriver
import FuzzTargets

fuzz(.journal)
