module example.com/envtest-go

go 1.24
