# A resource of a different provider stays in Terraform.
resource "terraform_data" "note" {
  input = { password = "canary-of-another-provider" }
}
