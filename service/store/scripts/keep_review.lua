-- Keeps a review beside its game, if the game is at the version of which the review was made.
--
-- KEYS: 1 the game. ARGV: 1 the version, 2 the field of the review, 3 the review.
-- Returns {'kept'} or {'stale'}. A field of the game's hash has the game's lifetime, and is
-- deleted with it.

if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then
  return {'stale'}
end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return {'kept'}
