"""Words on mix."""
