terraform {
  required_providers {
    linode = { source = "linode/linode" }
  }
}

variable "url" { type = string }
variable "token" {
  type      = string
  sensitive = true
}
variable "root_pass" {
  type      = string
  sensitive = true
}

provider "linode" {
  url           = var.url
  token         = var.token
  api_version   = "v4beta"
  event_poll_ms = 100
}
