module example.org/puente-client

go 1.24
