// Compiles PHP sources without running them and prints {"version", "compiled", "errors"} as JSON.
// Arguments: the folder with node_modules, the version of PHP. Standard input: {name: source}.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [folder, version] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { PHP, loadPHPRuntime } = await load('@php-wasm/universal');
const { getPHPLoaderModule } = await load(`@php-wasm/node-${version.replace('.', '-')}`);

const php = new PHP(await loadPHPRuntime(await getPHPLoaderModule(), {}));
php.writeFile('/sources.json', readFileSync(0));
// eval compiles the whole source, then leaves it at its first statement.
const result = await php.run({
    code: `<?php
        error_reporting(E_ALL);
        $said = ['version' => PHP_VERSION, 'compiled' => 0, 'errors' => []];
        set_error_handler(function ($level, $text, $file, $line) use (&$name, &$said) {
            $said['errors'][] = "$name:$line: $text";
            return true;
        });
        foreach (json_decode(file_get_contents('/sources.json'), true) as $name => $source) {
            try {
                eval('return; ?>' . $source);
            } catch (ParseError $error) {
                $said['errors'][] = "$name:{$error->getLine()}: {$error->getMessage()}";
            }
            $said['compiled']++;
        }
        echo json_encode($said);`,
});
process.stdout.write(result.text, () => process.exit(result.exitCode));
