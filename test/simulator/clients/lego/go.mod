// Pins the source package whose tests run against the simulator. Nothing is built in this module.
module clients/lego

go 1.26.0

require github.com/go-acme/lego/v5 v5.5.2
