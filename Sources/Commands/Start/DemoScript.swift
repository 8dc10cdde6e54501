/// The story of `tsync demo`, as a shell script.
enum DemoScript {
  /// The script's exit status if the server does not start.
  static let noServer: Int32 = 9

  /// The script; `$SERVER` is the program of the server, which ends with the script.
  ///
  /// It prints each command with its output, and ends with 1 at the first unexpected result.
  static let text = """
    mkfifo address
    "$SERVER" --no-auth --listen 127.0.0.1:0 --store server.db >address 2>server.log &
    server=$!
    trap 'kill $server 2>/dev/null || :; wait $server || :' EXIT
    trap 'exit 1' HUP INT TERM
    exec 3<address
    rm address
    read -r URL <&3 || exit \(noServer)

    tell() { printf '\\n%s\\n' "$1"; }
    fail() { echo "$1"; exit 1; }
    ends() { # STATUS COMMAND
      printf '$ %s\\n' "$2"
      status=0
      eval "$2" >printed 2>&1 || status=$?
      cat printed
      [ $status = $1 ] || fail "the command ended with status $status instead of $1"
    }
    run() { # COMMAND [PRINTED...]
      ends 0 "$1"
      shift
      has "$@"
    }
    has() { for text; do grep -qF -e "$text" printed || fail "the command should have printed: $text"; done; }

    tell 'Anna and Ben clone the list of a server that has just started.'
    run "tsync clone $URL anna" 'made workspace anna (todoitem)'
    run "tsync clone $URL ben"

    tell 'Anna makes an item and pushes it. Ben pulls it, and has it as a file.'
    run 'tsync -C anna new -s id=hello Hello world 3' 'added hello  Hello world 3'
    run 'tsync -C anna push' 'created hello  Hello world 3' '1 pushed'
    run 'tsync -C ben pull'
    run 'cat ben/.todosync/items/todoitem/hello.json' '"id": "hello"' '"text": "Hello world 3"'

    tell 'Both edit the same line of it, with any editor. Anna pushes first.'
    run "sed -i 's/world 3/world 13/' anna/.todosync/items/todoitem/hello.json"
    run 'tsync -C anna push' 'updated hello  Hello world 13'
    run "sed -i 's/world 3/world 23/' ben/.todosync/items/todoitem/hello.json"
    ends 1 'tsync -C ben push'
    has 'conflict hello  Hello world 23 (text)'

    tell 'Nothing is lost: the versions are in files, side by side.'
    run 'grep text ben/.todosync/conflicts/todoitem/hello.*' \\
      'client.json:  "text": "Hello world 23"' 'server.json:  "text": "Hello world 13"' \\
      'base.json:  "text": "Hello world 3"'

    tell 'Ben keeps his version, and the server accepts it. Anna receives it with her next pull.'
    run 'tsync -C ben resolve --client hello' 'resolved hello  Hello world 23 (client)'
    run 'tsync -C ben push' 'updated hello  Hello world 23'
    run 'tsync -C anna pull'

    tell 'Without a network, work goes on; a push prints how many changes wait.'
    run 'tsync -C anna remote set http://127.0.0.1:1'
    run 'tsync -C anna new -s id=milk Buy milk' 'added milk  Buy milk'
    run 'tsync -C anna done hello' 'done hello  Hello world 23'
    ends 5 'tsync -C anna push'
    has 'cannot reach http://127.0.0.1:1' 'nothing is lost: 2 changes wait'

    tell 'When the network is back, a push sends each of them once.'
    run "tsync -C anna remote set $URL"
    run 'tsync -C anna push' 'created milk  Buy milk' 'updated hello  Hello world 23' '2 pushed'
    run 'tsync -C anna push' 'nothing to push'

    tell 'At the end, both have the same items.'
    run 'tsync -C ben sync' 'nothing to push'
    run 'diff -r anna/.todosync/items ben/.todosync/items'
    run 'tsync -C ben list -a' 'hello  Hello world 23      done' 'milk   Buy milk'
    rm printed

    """
}
