// Command independent-witness holds the key of litewitness, which takes it from an agent of SSH.
package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"log"
	"net"
	"os"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// independent-witness SOCKET: an agent with one new key, whose fingerprint it prints.
func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: independent-witness SOCKET")
	}
	if err := serve(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func serve(socket string) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	keyring := agent.NewKeyring()
	if err := keyring.Add(agent.AddedKey{PrivateKey: &private}); err != nil {
		return err
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		return err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	fmt.Println(ssh.FingerprintSHA256(key))
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			// Ends with the connection.
			_ = agent.ServeAgent(keyring, connection)
		}()
	}
}
