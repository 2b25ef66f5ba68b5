"""The letters of a blog's language, and which of them the font of title cards lacks."""

from copydesk_connectors.errors import Misconfigured
from copydesk_connectors.publisher import Finding, Level
from copydesk_connectors.targets.owner_image import Image
from copydesk_connectors.targets.title_card import Face

# By the first part of a language tag: the letters beyond a to z of an alphabet, as its readers
# learn it; of Chinese, Japanese and Korean, which have thousands, and of scripts whose letters join
# or stack, some of the most frequent.
LETTERS = {
    "am": "ሀለመሰረበተነአከ",
    "ar": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "be": "абвгдеёжзійклмнопрстуўфхцчшыьэюя",
    "bg": "абвгдежзийклмнопрстуфхцчшщъьюя",
    "bn": "অআইউএওকখগঘচজটডতদনপবমযরলশস",
    "ca": "àçèéíïòóúü·",
    "cs": "áčďéěíňóřšťúůýž",
    "cy": "âêîôûŵŷ",
    "da": "æøå",
    "de": "äöüß",
    "el": "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ",
    "eo": "ĉĝĥĵŝŭ",
    "es": "áéíñóúü¿¡",
    "et": "äõöüšž",
    "fa": "ابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی",
    "fi": "äöå",
    "fr": "àâæçéèêëîïôœùûüÿ",
    "ga": "áéíóú",
    "gu": "અઆઇઉએઓકખગઘચજટડતદનપબમયરલવસહ",
    "he": "אבגדהוזחטיכךלמםנןסעפףצץקרשת",
    "hi": "अआइईउऊएऐओऔकखगघचछजझटठडढणतथदधनपफबभमयरलवशषसह",
    "hr": "čćđšž",
    "hu": "áéíóöőúüű",
    "hy": "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ",
    "is": "áðéíóúýþæö",
    "it": "àèéìòù",
    "ja": "あいうえおかきくけこのはをんアイウエオカンー日本語人大年",
    "ka": "აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ",
    "kk": "әғқңөұүһі",
    "km": "កខគឃងចឆជញដតថទធនបផពភមយរលវសហអ",
    "ko": "가나다라마바사아자하한국어이는을",
    "lt": "ąčęėįšųūž",
    "lv": "āčēģīķļņšūž",
    "mk": "ѓѕјљњќџ",
    "ml": "അആഇഉഎഒകഖഗചജടഡതദനപബമയരലവസഹ",
    "mr": "अआइईउऊएऐओऔकखगघचछजझटठडढणतथदधनपफबभमयरलवशषसहळ",
    "mt": "ċġħż",
    "my": "ကခဂဃငစဆဇညတထဒဓနပဖဗဘမယရလဝသဟအ",
    "nb": "æøå",
    "nl": "éëïóöü",
    "nn": "æøå",
    "no": "æøå",
    "pa": "ਅਆਇਈਉਕਖਗਘਚਜਟਡਤਦਨਪਬਮਯਰਲਵਸਹ",
    "pl": "ąćęłńóśźż",
    "pt": "áâãàçéêíóôõú",
    "ro": "ăâîșț",
    "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    "sk": "áäčďéíĺľňóôŕšťúýž",
    "sl": "čšž",
    "sq": "çë",
    "sr": "ђјљњћџčćđšž",
    "sv": "åäö",
    "ta": "அஆஇஈஉஊஎஏஐஒகஙசஞடணதநபமயரலவழளறன",
    "te": "అఆఇఈఉఊఎఏఒకఖగచజటడతదనపబమయరలవసహ",
    "th": "กขคฆงจฉชซญดตถทธนบปผฝพฟภมยรลวศสหอ",
    "tr": "çğıİöşü",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "ur": "ابپتٹثجچحخدڈذرڑزژسشصضطظعغفقکگلمنوہی",
    "vi": "ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
    "zh": "的一是不了人我在有他这中大来上国",
}
_SHOWN = 12


def lacking_letters(name: str, image: Image | None, language: str) -> list[Finding]:
    """What ``check`` says of a target whose title cards cannot have every letter of its language.

    ``language`` is a tag such as "de", "pt-BR" or "zh_CN"; nothing is said of one that is unknown.
    """
    if image is None or image.path is not None:
        return []
    code = language.replace("_", "-").partition("-")[0].lower()
    letters = LETTERS.get(code, "")
    try:
        # Capitals are drawn too; ß has none, and a sign that has none is its own.
        both = dict.fromkeys(letters + "".join(s.upper() for s in letters if len(s.upper()) == 1))
        lacking = Face(image.font).lacks("".join(both))
    except Misconfigured:
        return []  # said where the configuration was read
    if not lacking:
        return []
    some = " ".join(lacking[:_SHOWN]) + (" …" if len(lacking) > _SHOWN else "")
    message = (
        f'the font of title cards lacks letters of the language "{code}": {some}; a post whose '
        "title has one goes up without a picture"
    )
    fix = "let card_font name a font file that has them"
    return [Finding(Level.WARNING, name, message, fix)]
