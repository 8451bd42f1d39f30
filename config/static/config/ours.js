/** Whether an answer is the site's own, and not of a proxy or a portal. One of an earlier version has an id alone. */
export const isOurs = ({ status, headers }) =>
  headers.has("Barpoint") || (status < 500 && headers.has("X-Request-ID"));

/** `fetch`, which fails for an answer of others as it does without a line. */
export async function ask(...request) {
  const response = await fetch(...request);
  if (isOurs(response)) return response;
  throw TypeError();
}
