module cer.example/verifier

go 1.24
