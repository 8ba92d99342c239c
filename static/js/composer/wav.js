/** A recording as WAV: one channel of 16-bit samples at the rate with which transcription models work. */
const HZ = 16_000, HEAD = 44;

/** @param {Blob} sound @returns {Promise<Blob>} */
export async function wav(sound) {
  const decoded = await new OfflineAudioContext(1, 1, HZ).decodeAudioData(await sound.arrayBuffer());
  const samples = decoded.getChannelData(0), view = new DataView(new ArrayBuffer(HEAD + 2 * samples.length));
  const word = (/** @type {number} */ at, /** @type {string} */ text) => [...text].forEach((c, i) => view.setUint8(at + i, c.charCodeAt(0)));
  word(0, "RIFF");
  view.setUint32(4, HEAD - 8 + 2 * samples.length, true);
  word(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // channels
  view.setUint32(24, HZ, true);
  view.setUint32(28, 2 * HZ, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  word(36, "data");
  view.setUint32(40, 2 * samples.length, true);
  samples.forEach((x, i) => view.setInt16(HEAD + 2 * i, Math.max(-1, Math.min(1, x)) * 0x7fff, true));
  return new Blob([view], { type: "audio/wav" });
}
