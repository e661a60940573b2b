const MASK = '***';

/**
 * The URL with its password replaced, fit for printing.
 * What can't be parsed is not shown at all, since nobody knows where its password is.
 */
export function maskUrl(url: string): string {
  const parsed = parseWithHost(url);
  if (parsed === undefined) return '(not a URL, so not shown)';
  if (parsed.password !== '') parsed.password = MASK;
  // A parameter may carry a secret too, e.g. the passphrase of a key.
  for (const name of new Set(parsed.searchParams.keys())) {
    if (/pass|secret|token/i.test(name)) parsed.searchParams.set(name, MASK);
  }
  return parsed.href;
}

/** Text of others (an error, a log line) with the URL's password replaced wherever it stands. */
export function maskSecretsOf(url: string, text: string): string {
  const parsed = parseWithHost(url);
  if (parsed === undefined) return text.replaceAll(url, maskUrl(url));
  const { password } = parsed;
  // Shorter ones are no secrets, and replacing them would garble the text.
  const secrets = [password, decoded(password)].filter((secret) => secret.length >= 4);
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
}

/** Without a host, as in `user:secret@host`, a parser takes the user for the scheme and sees no password. */
function parseWithHost(url: string): URL | undefined {
  const parsed = URL.parse(url) ?? undefined;
  return parsed?.host ? parsed : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
