// Small sounds for what happens at the board.

// Each sound is a few tones: [Hz, start in s, length in s].
const TONES = {
  here: [[660, 0, 0.09], [880, 0.12, 0.12]],
  roll: [[900, 0, 0.03], [700, 0.05, 0.03], [1000, 0.1, 0.04]],
  play: [[320, 0, 0.06]],
  double: [[520, 0, 0.1], [660, 0.12, 0.14]],
  turn: [[660, 0, 0.09]],
  over: [[523, 0, 0.12], [659, 0.14, 0.12], [784, 0.28, 0.2]],
};
let audio = null;

export function playTones(name) {
  const tones = TONES[name];
  if (!tones || !globalThis.AudioContext) return;
  audio ??= new AudioContext();
  for (const [frequency, start, length] of tones) {
    const oscillator = audio.createOscillator();
    const volume = audio.createGain();
    const at = audio.currentTime + start;
    oscillator.frequency.value = frequency;
    volume.gain.setValueAtTime(0.12, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + length);
    oscillator.connect(volume).connect(audio.destination);
    oscillator.start(at);
    oscillator.stop(at + length);
  }
}
