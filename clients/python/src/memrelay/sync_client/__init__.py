"""The synchronous client. make_async.py writes the asynchronous one from these files, except transport.py."""
