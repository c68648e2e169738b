"""How often one address may call some operations within a minute."""
