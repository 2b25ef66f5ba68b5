"""WordPress by its REST API or by XML-RPC, with an application password."""
