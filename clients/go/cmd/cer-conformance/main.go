// Command cer-conformance answers the conformance suite: `verify FILE...`, one line of JSON for each case file.
package main

import (
	"bufio"
	"fmt"
	"os"

	"cer.example/verifier/cer"
)

// exitNotBuilt says that this implementation does not have the command.
const exitNotBuilt = 64

func main() {
	if len(os.Args) < 2 || os.Args[1] != "verify" {
		os.Exit(exitNotBuilt)
	}
	out := bufio.NewWriter(os.Stdout)
	for _, path := range os.Args[2:] {
		text, err := answer(path)
		if err != nil {
			fmt.Fprintf(os.Stderr, "cer-conformance: %s: %v\n", path, err)
			os.Exit(1)
		}
		fmt.Fprintln(out, text)
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintf(os.Stderr, "cer-conformance: %v\n", err)
		os.Exit(1)
	}
}

func answer(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	file, fault := cer.Parse(text)
	if fault != nil {
		return "", fault
	}
	line, lacking := cer.Canonicalize(cer.Answer(file), cer.SvcV1, "")
	if lacking != nil {
		return "", lacking
	}
	return line, nil
}
