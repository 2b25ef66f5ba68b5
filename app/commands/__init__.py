"""The commands of copydesk-server, by what they are about."""
