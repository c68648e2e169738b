-- Deletes a game, if it is at the version by which that was decided.
--
-- KEYS: 1 the game, 2 its event log. ARGV: 1 expected version.
-- Returns {'deleted'} or {'stale', version}; the version is 0 where there is no game.

local version = redis.call('HGET', KEYS[1], 'version') or '0'
if version ~= ARGV[1] then
  return {'stale', version}
end
redis.call('UNLINK', KEYS[1], KEYS[2])
publish(KEYS[1], 0)
return {'deleted'}
