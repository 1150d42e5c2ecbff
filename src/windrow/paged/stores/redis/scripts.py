"""What a Redis server is asked to do as one: scripts, each a transaction in a single round trip.

Every opening of a window has its own token.  It is stored in the lease, which expires, and in the
hash of the window, which stays.  A holder that finds its token in both may go on.  If it is only in
the hash, the holder was away for long, but nobody else opened the window: it takes the lease again.
Anyone else gets an error, and changes nothing.

A client that gets no reply sends a write again, and the first copy may arrive last, after later
writes.  So the writes of a holder are numbered, and an outdated one changes nothing.
"""

from hashlib import sha1

__all__ = ["CLOSE", "DROP", "GONE", "KEEP", "OPEN", "TAKEN", "WRITE", "Script"]

GONE = b"gone"  # nothing is left of the window
TAKEN = b"taken"  # another opened the window: who follows


class Script:
    """Lua text, and what the server knows it by.

    KEYS are the lease, the hash of the window, and those of spaces; ARGV begins with the token, and
    the time of the lease in milliseconds.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.sha = sha1(text.encode(), usedforsecurity=False).hexdigest()


_IF_OURS = """
local lease, window, token, lease_ms = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local on_lease = redis.call('GET', lease)
if on_lease and on_lease ~= token then return {'taken', on_lease} end
local last = redis.call('HGET', window, 'holder')
if not last then return {'gone'} end
if last ~= token then return {'taken', last} end
"""

_RENEW = """
if redis.call('PEXPIRE', lease, lease_ms) == 0 then
    redis.call('SET', lease, token, 'PX', lease_ms)
end
"""

# ARGV[3] is the time to live in milliseconds, 0 for no expiry.  Here only a new window gets it: the
# keys of an old one must go on running out together.
OPEN = Script("""
local lease, window, token, lease_ms, ttl_ms = KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[3]
local on_lease = redis.call('GET', lease)
if on_lease and on_lease ~= token then
    return {'taken', on_lease, redis.call('PTTL', lease)}
end
redis.call('SET', lease, token, 'PX', lease_ms)
local known = redis.call('HKEYS', window)
redis.call('HSET', window, 'holder', token)
if not on_lease then redis.call('HSET', window, 'written', 0) end
if #known == 0 and ttl_ms ~= '0' then redis.call('PEXPIRE', window, ttl_ms) end
return {'open', known}
""")

KEEP = Script(_IF_OURS + _RENEW + "return {'kept'}")

DROP = Script(_IF_OURS + "redis.call('UNLINK', unpack(KEYS)) return {'dropped'}")

CLOSE = Script("if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end")

# ARGV goes on with the time to live, the number of the write, how many fields note new spaces and
# these fields; how many spans, and for each its key's number in KEYS and both ends as halves; then
# for each space with values its key's number, how many arguments follow, and fields and values in
# turn.
WRITE = Script(
    _IF_OURS
    + """
local ttl_ms = ARGV[3]
if tonumber(ARGV[4]) < tonumber(redis.call('HGET', window, 'written') or 0) then
    return {'late'}
end
local at = 4
local function number()
    at = at + 1
    return tonumber(ARGV[at])
end

-- Lua passes at most some 8,000 arguments at once.
local CHUNK = 2000

local function forget(space, first_high, first_low, end_high, end_low)
    local size = redis.call('HLEN', space)
    if size == 0 then return end
    local fields = {}
    local function flush()
        if #fields > 0 then redis.call('HDEL', space, unpack(fields)) end
        fields = {}
    end
    local function add(field)
        fields[#fields + 1] = field
        if #fields == CHUNK then flush() end
    end
    -- Whichever is less: the numbers of the span, or the values that there are.
    local length = (end_high - first_high) * 4294967296 + end_low - first_low
    if length <= size then
        local high, low = first_high, first_low
        for _ = 1, length do
            add(struct.pack('>I4I4', high, low))
            low = low + 1
            if low == 4294967296 then high, low = high + 1, 0 end
        end
    else
        for _, field in ipairs(redis.call('HKEYS', space)) do
            local high, low = struct.unpack('>I4I4', field)
            local before = high < first_high or (high == first_high and low < first_low)
            if not before and (high < end_high or (high == end_high and low < end_low)) then
                add(field)
            end
        end
    end
    flush()
end

-- First what a full server refuses: it does so only before a script's first change.
local noted = number()
if noted > 0 then
    redis.call('HSET', window, unpack(ARGV, at + 1, at + noted))
    at = at + noted
end
for _ = 1, number() do
    local space = KEYS[number()]
    forget(space, number(), number(), number(), number())
end
while at < #ARGV do
    local space, left = KEYS[number()], number()
    while left > 0 do
        local some = math.min(left, CHUNK)
        redis.call('HSET', space, unpack(ARGV, at + 1, at + some))
        at, left = at + some, left - some
    end
end

-- All keys of the window run out together, never a page before another.
for i = 2, #KEYS do
    if ttl_ms == '0' then
        redis.call('PERSIST', KEYS[i])
    else
        redis.call('PEXPIRE', KEYS[i], ttl_ms)
    end
end
"""
    + _RENEW
    + "return {'written'}"
)
