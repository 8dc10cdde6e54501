extension Plan {
  /// Returns a small plan that still fails, found by leaving out: actions, then faults, then clients.
  package func shrunk(while fails: (Plan) -> Bool) -> Plan {
    var plan = self
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      var length = max(1, plan.actions.count / 2)
      while length >= 1 {
        var start = 0
        while start < plan.actions.count {
          var smaller = plan
          smaller.actions.removeSubrange(start..<min(start + length, plan.actions.count))
          if fails(smaller) {
            (plan, isSmaller) = (smaller, true)
          } else {
            start += length
          }
        }
        length /= 2
      }
      for action in plan.actions.indices {
        for fault in plan.actions[action].faults.indices.reversed() {
          var smaller = plan
          smaller.actions[action].faults.remove(at: fault)
          if fails(smaller) { (plan, isSmaller) = (smaller, true) }
        }
      }
      if let smaller = plan.withFewerClients, fails(smaller) { (plan, isSmaller) = (smaller, true) }
    }
    return plan
  }

  private var withFewerClients: Plan? {
    let used = Set(actions.map(\.client)).sorted()
    guard used.count < world.clients, !used.isEmpty else { return nil }
    var plan = self
    plan.world.clients = used.count
    for index in plan.actions.indices {
      plan.actions[index].client = used.firstIndex(of: actions[index].client) ?? 0
    }
    return plan
  }
}
