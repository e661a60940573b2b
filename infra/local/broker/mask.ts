const MASK = '***';

/**
 * The URL with its password replaced, fit for printing.
 * What can't be parsed is not shown at all, since nobody knows where its password is.
 */
export function maskUrl(url: string): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return '(not a URL, so not shown)';
  }
  if (parsed.password !== '') parsed.password = MASK;
  // A parameter may carry a secret too, e.g. the passphrase of a key.
  for (const name of new Set(parsed.searchParams.keys())) {
    if (/pass|secret|token/i.test(name)) parsed.searchParams.set(name, MASK);
  }
  return parsed.href;
}

/** Text of others (an error, a log line) with the URL's password replaced wherever it stands. */
export function maskSecretsOf(url: string, text: string): string {
  let password: string;
  try {
    password = new URL(url).password;
  } catch {
    return text.replaceAll(url, maskUrl(url));
  }
  // Shorter ones are no secrets, and replacing them would garble the text.
  const secrets = [password, decoded(password)].filter((secret) => secret.length >= 4);
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
