// Follows topics of the event stream, and polls while there is no stream.

import { watch } from "./stream.js";

/**
 * Watch topics, as `watch` in stream.js does, and call `load` every `every` milliseconds while there is no stream and
 * the page can be seen. Returns a function that ends both.
 */
export function follow(topics, { load, every, ...options }) {
  let polling = 0;
  const stop = watch(topics, {
    ...options,
    state: (open) => {
      clearInterval(polling);
      if (!open) polling = setInterval(() => document.hidden || load(), every);
    },
  });
  return () => {
    stop();
    clearInterval(polling);
  };
}
