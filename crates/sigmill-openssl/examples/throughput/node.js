// Operations a second of CPU time of Node's crypto, each for half a second. Prints lines of a name
// and a rate: node [--openssl-config=FILE] node.js
'use strict';
const crypto = require('crypto');

const message = Buffer.alloc(200, 7);

function rate(name, operation) {
  // Until the key has its final table.
  for (let i = 0; i < 50; i++) operation();
  const start = process.cpuUsage();
  let count = 0;
  let spent = 0;
  while (spent < 500000) {
    for (let i = 0; i < 50; i++) operation();
    count += 50;
    const { user, system } = process.cpuUsage(start);
    spent = user + system;
  }
  console.log(`${name}\t${count / spent * 1e6}`);
}

for (const [curve, hash] of [['P-256', 'sha256'], ['P-384', 'sha384']]) {
  const pair = crypto.generateKeyPairSync('ec', { namedCurve: curve });
  const signature = crypto.sign(hash, message, pair.privateKey);
  const verify = (bytes) => crypto.verify(hash, bytes, pair.publicKey, signature);
  if (!verify(message) || verify(Buffer.alloc(200, 8))) throw new Error('a wrong verdict');
  rate(`${curve}, crypto.sign`, () => crypto.sign(hash, message, pair.privateKey));
  rate(`${curve}, crypto.verify`, () => verify(message));
}
const [own, other] = [0, 1].map(() => crypto.generateKeyPairSync('x25519'));
const agree = (one, peer) => crypto.diffieHellman({
  privateKey: one.privateKey, publicKey: peer.publicKey,
});
if (!agree(own, other).equals(agree(other, own))) throw new Error('two secrets');
rate('X25519, crypto.diffieHellman', () => agree(own, other));
