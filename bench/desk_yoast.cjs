// What yoastseo says of texts: node desk_yoast.cjs FOLDER INPUT
//
// FOLDER has node_modules/yoastseo. INPUT is JSON, {language, timed, pages, posts}: the code of the
// language of all texts, pieces of HTML to be judged against the clock, pages once with their
// headings and once without, and posts with their keyphrase, title, slug and description. The
// answer is one line that begins with RESULT. Texts in two languages need two processes: yoastseo
// keeps the function words of the first.
"use strict";

const fs = require("fs");
const path = require("path");
const load = require("module").createRequire(path.join(process.argv[2], "/"));
const yoast = load("yoastseo");
const root = path.dirname(load.resolve("yoastseo"));
const input = JSON.parse(fs.readFileSync(process.argv[3], "utf-8"));
const researcherOf = `${root}/languageProcessing/languages/${input.language}/Researcher.js`;
const Researcher = load(researcherOf).default;
const { build } = load(root + "/parse/build/index.js");
const LanguageProcessor = load(root + "/parse/language/LanguageProcessor.js").default;
const { readability, seo } = yoast.assessments;

const READING = {
  textSentenceLength: new readability.SentenceLengthInTextAssessment(),
  textParagraphTooLong: new readability.ParagraphTooLongAssessment(),
  subheadingsTooLong: new readability.SubheadingDistributionTooLongAssessment(),
  passiveVoice: new readability.PassiveVoiceAssessment(),
  textTransitionWords: new readability.TransitionWordsAssessment(),
  sentenceBeginnings: new readability.SentenceBeginningsAssessment(),
};
const KEYPHRASE = {
  title: new seo.KeyphraseInSEOTitleAssessment(),
  introduction: new seo.IntroductionKeywordAssessment(),
  description: new seo.MetaDescriptionKeywordAssessment(),
  descriptionLength: new seo.MetaDescriptionLengthAssessment(),
  slug: new seo.SlugKeywordAssessment(),
  density: new seo.KeyphraseDensityAssessment(),
};

const LOCALES = { de: "de_DE", en: "en_US", es: "es_ES" };

function read(text, attributes = {}) {
  const permalink = "https://example.com/";
  const locale = LOCALES[input.language];
  const paper = new yoast.Paper(text, { locale, permalink, ...attributes });
  const researcher = new Researcher(paper);
  paper.setTree(build(paper, new LanguageProcessor(researcher)));
  return [paper, researcher];
}

/** The score of each assessment; null where it does not apply. */
function scores(assessments, paper, researcher) {
  return Object.fromEntries(
    Object.entries(assessments).map(([name, assessment]) => {
      const applies = !assessment.isApplicable || assessment.isApplicable(paper, researcher);
      return [name, applies ? assessment.getResult(paper, researcher).getScore() : null];
    }),
  );
}

function milliseconds(text) {
  const began = process.cpuUsage();
  scores(READING, ...read(text));
  const spent = process.cpuUsage(began);
  return (spent.user + spent.system) / 1e3;
}

function page({ headed, prose }) {
  const [paper, researcher] = read(prose);
  return {
    headed: scores(READING, ...read(headed)),
    prose: scores(READING, paper, researcher),
    sentences: researcher
      .getResearch("countSentencesFromText")
      .map((found) => [found.sentence.text, found.sentenceLength]),
    passive: researcher.getResearch("getPassiveVoiceResult").passives,
    linked: researcher
      .getResearch("findTransitionWords")
      .sentenceResults.map((found) => found.sentence.text),
  };
}

function post({ text, ...attributes }) {
  const [paper, researcher] = read(text, attributes);
  const headings = researcher.getResearch("matchKeywordInSubheadings").matches;
  return { ...scores(KEYPHRASE, paper, researcher), headings };
}

const result = {
  timed: input.timed.map(milliseconds),
  pages: input.pages.map(page),
  posts: input.posts.map(post),
};
console.log("RESULT" + JSON.stringify(result));
