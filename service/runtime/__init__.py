"""The processes of the service: supervisor, embedded server, web server and its workers."""
