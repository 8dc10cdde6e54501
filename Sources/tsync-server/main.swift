import Glibc

// A reader of the output that goes away must not end the server.
signal(SIGPIPE, SIG_IGN)

exit(await TsyncServer.status())
