// What harper.js, write-good and yoastseo say of texts: node linters.mjs FOLDER INPUT OUTPUT
//
// FOLDER has the packages in node_modules. INPUT is JSON, [{text, html}]. OUTPUT is
// {tool: {version, texts: [{marks: [[line, rule, message]], milliseconds}]}}; line 0 stands for the
// text as a whole. Packages that are not installed are left out.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, input, output] = process.argv.slice(2).map((each) => path.resolve(each));
const modules = path.join(folder, "node_modules");
const load = createRequire(path.join(folder, "/"));
const BRITISH = /colour|flavour|neighbour|favourite|litre|metre|£|centre|grey/i;

function lineOf(text, index) {
  return text.slice(0, index).split("\n").length;
}

async function harper() {
  const { LocalLinter, Dialect } = await import(
    pathToFileURL(path.join(modules, "harper.js/dist/index.js"))
  );
  const { binaryInlined } = await import(
    pathToFileURL(path.join(modules, "harper.js/dist/binaryInlined.js"))
  );
  const linters = {};
  for (const dialect of ["American", "British"]) {
    linters[dialect] = new LocalLinter({ binary: binaryInlined, dialect: Dialect[dialect] });
    await linters[dialect].setup();
  }
  return async ({ text }) => {
    const linter = linters[BRITISH.test(text) ? "British" : "American"];
    const characters = Array.from(text);
    const lints = await linter.lint(text, { language: "markdown" });
    return lints.map((lint) => {
      const line = lineOf(characters.slice(0, lint.span().start).join(""), Infinity);
      return [line, lint.lint_kind(), lint.message()];
    });
  };
}

async function writeGood() {
  const suggest = load("write-good");
  return async ({ text }) =>
    suggest(text).map((each) => [
      lineOf(text, each.index), each.reason.replace(/^".*?" /s, ""), each.reason,
    ]);
}

async function yoastseo() {
  const yoast = load("yoastseo");
  const root = path.dirname(load.resolve("yoastseo"));
  const Researcher = load(root + "/languageProcessing/languages/en/Researcher.js").default;
  const { build } = load(root + "/parse/build/index.js");
  const LanguageProcessor = load(root + "/parse/language/LanguageProcessor.js").default;
  const { readability } = yoast.assessments;
  const assessments = {
    textSentenceLength: new readability.SentenceLengthInTextAssessment(),
    textParagraphTooLong: new readability.ParagraphTooLongAssessment(),
    subheadingsTooLong: new readability.SubheadingDistributionTooLongAssessment(),
    passiveVoice: new readability.PassiveVoiceAssessment(),
    textTransitionWords: new readability.TransitionWordsAssessment(),
    sentenceBeginnings: new readability.SentenceBeginningsAssessment(),
  };
  return async ({ html }) => {
    const paper = new yoast.Paper(html, { locale: "en_US", permalink: "https://example.com/" });
    const researcher = new Researcher(paper);
    paper.setTree(build(paper, new LanguageProcessor(researcher)));
    return Object.entries(assessments)
      .filter(([, each]) => !each.isApplicable || each.isApplicable(paper, researcher))
      .map(([name, each]) => [name, each.getResult(paper, researcher)])
      .filter(([, result]) => result.getScore() < 9)
      .map(([name, result]) => [0, name, result.getText()]);
  };
}

const texts = JSON.parse(fs.readFileSync(input, "utf-8"));
const result = {};
for (const [name, prepare] of [
  ["harper.js", harper], ["write-good", writeGood], ["yoastseo", yoastseo],
]) {
  if (!fs.existsSync(path.join(modules, name, "package.json"))) continue;
  const check = await prepare();
  for (const text of texts.slice(0, 5)) await check(text);
  const answers = [];
  for (const text of texts) {
    const began = process.cpuUsage();
    const marks = await check(text);
    const { user, system } = process.cpuUsage(began);
    answers.push({ marks, milliseconds: (user + system) / 1e3 });
  }
  const manifest = path.join(modules, name, "package.json");
  result[name] = { version: JSON.parse(fs.readFileSync(manifest)).version, texts: answers };
}
fs.writeFileSync(output, JSON.stringify(result));
