#!/bin/sh
# Muster with the Node.js of its own package. The flags: they are read only when a program starts.
exec /usr/lib/muster/bin/node FLAGS --enable-source-maps /usr/lib/muster/dist/muster.mjs "$@"
