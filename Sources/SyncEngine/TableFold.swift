package import SyncModel

/// What facts make of a table's rows, in memory: of a table of which nothing is known, or over another view.
package struct TableFold {
  private let below: (any TableRows)?
  /// The bases that are known here; `nil` where nothing is known any more.
  private var bases: [ItemID: Row?] = [:]
  private var arrivals: [ItemID: Arrival?] = [:]
  private var attempts: [ItemID: Attempt?] = [:]
  private var rejections: [ItemID: Rejection?] = [:]
  /// The ids under which the items of open arrivals were sent, by those of their rows.
  private var formers: [ItemID: ItemID] = [:]
  package private(set) var state = TableState()

  /// Begins with nothing.
  package init() { below = nil }

  /// Begins as the view below is.
  ///
  /// - Throws: What reading that throws.
  package init(over below: any TableRows) throws {
    self.below = below
    state = below.state
    for arrival in try below.arrivals() { formers[arrival.row.id] = arrival.was }
  }

  /// Adds what a line says.
  ///
  /// - Throws: What reading the view below throws.
  package mutating func add(_ fact: Fact) throws {
    let fact = try completed(fact)
    state.add(fact)
    switch fact {
    case .base(let row, let ends):
      end(ends)
      setBase(row, of: row.id)
      arrivals[row.id] = .some(nil)
    case .arrived(let new, let ends):
      end(new.was ?? ends)
      let arrival = new.following(try open(new.row.id))
      arrivals[arrival.id] = arrival
      formers[arrival.row.id] = arrival.was
      if let base = arrival.base { setBase(base, of: arrival.id) }
    case .taken(let ids):
      let taken = try self.arrivals().filter { !ids.contains($0.id) }
      for arrival in taken {
        if arrival.was != nil { bases[arrival.id] = .some(nil) }
        arrivals[arrival.id] = .some(nil)
        formers[arrival.row.id] = nil
      }
      for arrival in taken {
        setBase(arrival.row, of: arrival.row.id)
        state.took(arrival.row.id, from: arrival.was)
      }
    case .forgot(let id): bases[id] = .some(nil)
    case .sent(let attempt): attempts[attempt.key.id] = attempt
    case .refused(let id, let rejection):
      end(id)
      rejections[id] = rejection
    case .ended(let id): end(id)
    case .token, .pulled, .left, .back, .anchors, .learnt, .mayLeave, .marked, .laid: break
    }
  }

  /// Sets a base; what was refused was refused over the one before.
  private mutating func setBase(_ row: Row, of id: ItemID) {
    bases[id] = row
    rejections[id] = .some(nil)
  }

  private mutating func end(_ id: ItemID?) {
    guard let id else { return }
    attempts[id] = .some(nil)
    rejections[id] = .some(nil)
  }

  /// Returns the open arrival of a row, under whichever id its item has.
  private func open(_ id: ItemID) throws -> Arrival? {
    let arrival = try arrival(of: formers[id] ?? id)
    return arrival?.row.id == id ? arrival : nil
  }

  /// Returns a fact whose row says which versions were here before.
  private func completed(_ fact: Fact) throws -> Fact {
    guard let row = fact.row, row.had.isEmpty else { return fact }
    let arrived = try row.deleted ? nil : open(row.id)?.row
    return try fact.over(arrived ?? base(of: row.id).row)
  }
}

extension TableFold: TableRows {
  package func base(of id: ItemID) throws -> Base {
    if let known = bases[id] { return known.map { Base($0) } ?? .neverSeen }
    return try below?.base(of: id) ?? .neverSeen
  }

  package func arrival(of id: ItemID) throws -> Arrival? {
    try arrivals[id] ?? below?.arrival(of: id)
  }

  package func attempt(of id: ItemID) throws -> Attempt? {
    try attempts[id] ?? below?.attempt(of: id)
  }

  package func rejection(of id: ItemID) throws -> Rejection? {
    try rejections[id] ?? below?.rejection(of: id)
  }

  package func forEachID(_ kind: TableLine, _ body: (UnsafeRawBufferPointer) -> Void) throws {
    let here: [ItemID: Bool] =
      switch kind {
      case .live: bases.mapValues { $0?.deleted == false }
      case .tombstone: bases.mapValues { $0?.deleted == true }
      case .arrival: arrivals.mapValues { $0 != nil }
      case .attempt: attempts.mapValues { $0 != nil }
      case .refusal: rejections.mapValues { $0 != nil }
      }
    for (id, isOne) in here where isOne { id.text.bytes.withUnsafeBytes(body) }
    try below?.forEachID(kind) { bytes in
      if here.isEmpty || ItemID(bytes).map({ here[$0] }) == .some(nil) { body(bytes) }
    }
  }
}
