"""The asynchronous client. make_async.py writes these files from those in sync_client, except transport.py."""
