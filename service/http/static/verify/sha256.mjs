// SHA-256 (FIPS 180-4) and HMAC (RFC 2104). Browsers have them too, but not on pages without TLS.

const INITIAL = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
const CONSTANTS = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/** The SHA-256 of a message. @param {Uint8Array} message */
export function sha256(message) {
  const padded = new Uint8Array(64 * Math.ceil((message.length + 9) / 64));
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, 8 * message.length);
  const state = Uint32Array.from(INITIAL);
  for (let start = 0; start < padded.length; start += 64) {
    compress(state, new DataView(padded.buffer, start, 64));
  }
  state.forEach((word, place) => view.setUint32(4 * place, word));
  return padded.slice(0, 32);
}

/** @param {Uint32Array} state changed in place @param {DataView} block of 64 bytes */
function compress(state, block) {
  const w = new Uint32Array(64);
  for (let t = 0; t < 16; t++) w[t] = block.getUint32(4 * t);
  for (let t = 16; t < 64; t++) {
    const s0 = rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ (w[t - 15] >>> 3);
    const s1 = rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ (w[t - 2] >>> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < 64; t++) {
    const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const one = h + s1 + ((e & f) ^ (~e & g)) + CONSTANTS[t] + w[t];
    const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const two = s0 + ((a & b) ^ (a & c) ^ (b & c));
    [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  [a, b, c, d, e, f, g, h].forEach((word, place) => {
    state[place] += word;
  });
}

/** @param {number} word @param {number} bits */
function rotated(word, bits) {
  return (word >>> bits) | (word << (32 - bits));
}

/** The HMAC-SHA256. @param {Uint8Array} key of 64 bytes at most @param {Uint8Array} message */
export function hmac(key, message) {
  /** @type {(pad: number, rest: Uint8Array) => Uint8Array} */
  const keyed = (pad, rest) => {
    const bytes = new Uint8Array(64 + rest.length).fill(pad, 0, 64);
    key.forEach((value, place) => {
      bytes[place] ^= value;
    });
    bytes.set(rest, 64);
    return sha256(bytes);
  };
  return keyed(0x5c, keyed(0x36, message));
}
