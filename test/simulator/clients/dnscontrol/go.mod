// Pins the source package whose tests run against the simulator. Nothing is built in this module.
module clients/dnscontrol

go 1.23.0

require github.com/StackExchange/dnscontrol/v4 v4.20.0
