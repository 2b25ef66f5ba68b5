from copydesk_connectors.cli import main

main()
