module cloudplatform.dev/simulator-clients

go 1.26

require (
	github.com/linode/linodego v1.69.1
	github.com/miekg/dns v1.1.73
)

require (
	github.com/go-resty/resty/v2 v2.17.2 // indirect
	github.com/google/go-querystring v1.2.0 // indirect
	golang.org/x/net v0.57.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.40.0 // indirect
	gopkg.in/ini.v1 v1.67.2 // indirect
)
