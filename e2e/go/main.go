// Command independent-tlog reads logs, checks proofs and runs a log with the code of other projects: the packages tlog
// and note of golang.org/x/mod, and the formats, merkle and tessera of transparency-dev.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: independent-tlog read|proof|keys|tessera|load ARGUMENTS"))
	}
	commands := map[string]func([]string) error{
		"read": readLog, "proof": checkProof, "keys": makeKeys, "tessera": runTessera, "load": runLoad,
	}
	run, known := commands[os.Args[1]]
	if !known {
		fail(fmt.Errorf("unknown command"))
	}
	if err := run(os.Args[2:]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
