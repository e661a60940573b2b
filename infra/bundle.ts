import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

export interface BundleOptions {
  /** Handler files by the name their bundle gets. */
  readonly handlers: Readonly<Record<string, string>>;
  /** Where `<name>.mjs` is written; made when missing. */
  readonly outDir: string;
  /** Writes `<name>.mjs.map` beside each bundle. Default false. */
  readonly sourcemap?: boolean;
}

export interface Bundle {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
}

/** A handler that esbuild could not bundle; the message lists file, line and reason of each error. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
  readonly code = 'BUNDLE_FAILED';
}

/**
 * Lets CommonJS dependencies call `require` for Node's built-ins inside an ES module, and those that
 * look for themselves find `__dirname`. The names can't collide with a bundled module's.
 */
const BANNER = [
  "import { createRequire as __layoverCreateRequire } from 'node:module';",
  'const require = __layoverCreateRequire(import.meta.url);',
  'const __dirname = import.meta.dirname;',
].join('');

/**
 * Bundles Lambda handlers, the same way for the local run and for the deployment: one ES module per
 * handler, everything inside (the AWS SDK too, so that what was tested is what runs), for Node.js 24.
 * Minified for a fast start, but functions and classes keep their names: failure signatures and stack
 * traces are made of them.
 */
export async function bundleHandlers(options: BundleOptions): Promise<readonly Bundle[]> {
  await mkdir(options.outDir, { recursive: true });
  const names = Object.keys(options.handlers);
  if (names.length === 0) return [];
  const result = await build({
    entryPoints: options.handlers as Record<string, string>,
    outdir: options.outDir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    banner: { js: BANNER },
    keepNames: true,
    minifyWhitespace: true,
    minifySyntax: true,
    minifyIdentifiers: true,
    legalComments: 'none',
    charset: 'utf8',
    sourcemap: options.sourcemap ?? false,
    metafile: true,
    logLevel: 'silent',
  }).catch((error: unknown) => {
    throw new BundleError(bundleProblem(error), { cause: error });
  });
  const written = Object.entries(result.metafile.outputs);
  return names.map((name) => {
    const file = join(options.outDir, `${name}.mjs`);
    const output = written.find(([path]) => path.endsWith(`${name}.mjs`));
    return { name, file, bytes: output?.[1].bytes ?? 0 };
  });
}

interface BuildProblem {
  readonly text: string;
  readonly location: { readonly file: string; readonly line: number } | null;
}

function bundleProblem(error: unknown): string {
  const { errors } = error as { readonly errors?: readonly BuildProblem[] };
  if (!Array.isArray(errors) || errors.length === 0) {
    return `The handlers could not be bundled: ${error instanceof Error ? error.message : error}`;
  }
  const lines = (errors as readonly BuildProblem[]).map(({ text, location }) =>
    location === null ? `  ${text}` : `  ${location.file}:${location.line}: ${text}`,
  );
  return `The handlers could not be bundled:\n${lines.join('\n')}`;
}
