const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A name that is written from right to left, so that it does not change the order of the sentence it stands in. */
function isolated(value) {
  return RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value;
}

/** Fill the {places} of a translated sentence. */
export function fillIn(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => isolated(values[name] ?? ""));
}
