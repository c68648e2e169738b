"""How the processes of the service write their lines: as text, or each as a JSON object."""
