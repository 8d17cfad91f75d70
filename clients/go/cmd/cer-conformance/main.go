// Command cer-conformance answers the conformance suite: `verify FILE...` and `log FILE...`, one line of JSON for each
// case file.
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
	if len(os.Args) < 2 {
		os.Exit(exitNotBuilt)
	}
	evaluate, built := map[string]func(*cer.Value) *cer.Value{"verify": cer.Answer, "log": cer.AnswerLog}[os.Args[1]]
	if !built {
		os.Exit(exitNotBuilt)
	}
	out := bufio.NewWriter(os.Stdout)
	for _, path := range os.Args[2:] {
		text, err := answer(evaluate, path)
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

func answer(evaluate func(*cer.Value) *cer.Value, path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	file, fault := cer.Parse(text)
	if fault != nil {
		return "", fault
	}
	line, lacking := cer.Canonicalize(evaluate(file), cer.SvcV1, "")
	if lacking != nil {
		return "", lacking
	}
	return line, nil
}
