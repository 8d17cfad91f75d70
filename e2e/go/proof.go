package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
)

// proof FILE LEAFHASH VKEY [WITNESS VKEY]...: a tlog-proof of the leaf with this hash in hex.
func checkProof(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("usage: proof FILE LEAFHASH VKEY [WITNESS VKEY]...")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	leaf, err := hex.DecodeString(args[1])
	if err != nil {
		return err
	}
	head, checkpoint, found := strings.Cut(string(text), "\n\n")
	lines := strings.Split(head, "\n")
	if !found || lines[0] != "c2sp.org/tlog-proof@v1" {
		return fmt.Errorf("not a tlog-proof")
	}
	lines = lines[1:]
	if strings.HasPrefix(lines[0], "extra ") {
		lines = lines[1:]
	}
	index, err := strconv.ParseUint(strings.TrimPrefix(lines[0], "index "), 10, 63)
	if err != nil {
		return err
	}
	path := [][]byte{}
	for _, line := range lines[1:] {
		hash, err := base64.StdEncoding.DecodeString(line)
		if err != nil {
			return err
		}
		path = append(path, hash)
	}
	tree, err := openCheckpoint([]byte(checkpoint), args[2], args[3:])
	if err != nil {
		return err
	}
	if err := proof.VerifyInclusion(rfc6962.DefaultHasher, index, uint64(tree.N), leaf, path, tree.Hash[:]); err != nil {
		return err
	}
	fmt.Printf("included at %d of %d\n", index, tree.N)
	return nil
}
