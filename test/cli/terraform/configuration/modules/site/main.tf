terraform {
  required_providers {
    linode = { source = "linode/linode" }
  }
}
variable "name" { type = string }
variable "region" { type = string }
variable "root_pass" {
  type      = string
  sensitive = true
}

resource "linode_instance" "node" {
  for_each        = toset(["a", "b"])
  label           = "site-${var.name}-${each.key}"
  region          = var.region
  type            = "g6-nanode-1"
  image           = "linode/debian12"
  root_pass       = var.root_pass
  backups_enabled = each.key == "a"
}

resource "linode_domain" "this" {
  type      = "master"
  domain    = "${var.name}.example.net"
  soa_email = "hostmaster@example.net"
}

resource "linode_domain_record" "node" {
  for_each    = linode_instance.node
  domain_id   = linode_domain.this.id
  name        = each.key
  record_type = "A"
  target      = tolist(each.value.ipv4)[0]
}
