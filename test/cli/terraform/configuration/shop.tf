locals { region = "us-east" }

resource "linode_sshkey" "admin" {
  label   = "Admin laptop"
  ssh_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGmVZz0gqqBSqXUTnmUJzYHzFBSGXPTyLnX6zAZ5u6bX admin@example.org"
}

module "web" {
  source    = "./modules/site"
  for_each  = toset(["blue", "green"])
  name      = each.key
  region    = local.region
  root_pass = var.root_pass
}

resource "linode_instance" "worker" {
  count      = 2
  label      = "Worker_${count.index + 1}"
  region     = local.region
  type       = "g6-nanode-1"
  image      = "linode/debian12"
  root_pass  = var.root_pass
  tags       = ["batch"]
  private_ip = true
}

resource "linode_instance" "bare" {
  label  = "bare.metal-free"
  region = local.region
  type   = "g6-nanode-1"
  booted = false
}

resource "linode_instance_disk" "data" {
  linode_id  = linode_instance.bare.id
  label      = "Data disk"
  size       = 2000
  filesystem = "ext4"
}

resource "linode_instance_config" "rescue" {
  linode_id = linode_instance.bare.id
  label     = "My rescue profile"
  kernel    = "linode/latest-64bit"
  device {
    device_name = "sda"
    disk_id     = linode_instance_disk.data.id
  }
}

resource "linode_image" "golden" {
  label     = "Golden 2026"
  disk_id   = linode_instance_disk.data.id
  linode_id = linode_instance.bare.id
}

resource "linode_firewall" "edge" {
  label           = "edge_fw"
  inbound_policy  = "DROP"
  outbound_policy = "ACCEPT"
  inbound {
    label    = "https"
    action   = "ACCEPT"
    protocol = "TCP"
    ports    = "443"
    ipv4     = ["0.0.0.0/0"]
    ipv6     = ["::/0"]
  }
  linodes = linode_instance.worker[*].id
}

resource "linode_firewall" "inner" {
  label           = "inner"
  inbound_policy  = "DROP"
  outbound_policy = "ACCEPT"
  lifecycle { ignore_changes = [linodes] }
}

resource "linode_firewall_device" "inner_bare" {
  firewall_id = linode_firewall.inner.id
  entity_id   = linode_instance.bare.id
}

resource "linode_instance_ip" "second" {
  linode_id = linode_instance.bare.id
  public    = true
}

resource "linode_ipv6_range" "containers" {
  linode_id     = linode_instance.worker[0].id
  prefix_length = 64
}

resource "linode_instance_shared_ips" "failover" {
  linode_id = linode_instance.worker[0].id
  addresses = [linode_instance_ip.second.address]
}

resource "linode_domain" "zone" {
  type      = "master"
  domain    = "example-shop.org"
  soa_email = "hostmaster@example-shop.org"
}

resource "linode_domain_record" "host" {
  for_each = {
    "www"    = "192.0.2.10"
    "api.v2" = "192.0.2.11"
    "*"      = "192.0.2.12"
  }
  domain_id   = linode_domain.zone.id
  name        = each.key
  record_type = "A"
  target      = each.value
  ttl_sec     = 300
}

resource "linode_domain_record" "mail" {
  domain_id   = linode_domain.zone.id
  record_type = "MX"
  target      = "mail.example-shop.org"
  priority    = 10
}

resource "linode_domain_record" "mail_address" {
  domain_id   = linode_domain.zone.id
  name        = "mail"
  record_type = "A"
  target      = linode_instance_ip.second.address
}

resource "linode_rdns" "mail" {
  address            = linode_instance_ip.second.address
  rdns               = "mail.example-shop.org"
  wait_for_available = false
  depends_on         = [linode_domain_record.mail_address]
}

resource "linode_object_storage_bucket" "media" {
  cluster = "us-east-1"
  label   = "media-of-the-shop"
}

resource "linode_object_storage_key" "uploader" {
  label = "Uploader key"
  bucket_access {
    cluster     = "us-east-1"
    bucket_name = linode_object_storage_bucket.media.label
    permissions = "read_write"
  }
}

resource "linode_database_mysql_v2" "shop" {
  label        = "shop-db"
  engine_id    = "mysql/8"
  region       = local.region
  type         = "g6-nanode-1"
  cluster_size = 1
}

resource "linode_database_access_controls" "shop" {
  database_id   = linode_database_mysql_v2.shop.id
  database_type = "mysql"
  allow_list    = ["203.0.113.7/32"]
}

output "database_password" {
  value     = linode_database_mysql_v2.shop.root_password
  sensitive = true
}
