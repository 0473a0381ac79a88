//! The language that a text is written in, told by its commonest words.
//!
//! A sentence holds articles, prepositions, pronouns; a title or a name holds few. So a language is
//! told by how many of the words are function words of it, and only where it has two more than English:
//! whatever is short or uncertain is English. Libraries that compare trigrams were measured: they take
//! 40 to 270 us for an abstract, more than all the rest of its analysis, and are not sure of a
//! sentence of seven words.

use std::sync::LazyLock;

use super::language::Language;

/// The first bytes of a text decide.
const BYTES_MAX: usize = 1_024;
/// Function words that another language needs beyond those of English.
const LEAD_MIN: u32 = 2;
/// So many more than any other are not caught up with.
const LEAD_ENOUGH: u32 = 4;
/// Bytes of the longest function word.
const WORD_BYTES_MAX: usize = 8;

const LANGUAGES: usize = Language::ALL.len();

/// Some forty of the commonest words of each language, most of them function words; in lower case, up
/// to eight bytes long. Where languages tie, the first one here is taken.
const FUNCTION_WORDS: [(Language, &str); LANGUAGES] = [
    (
        Language::En,
        "the of and a an to in is me him was for with that on as at by from are this it be an or which were has \
         have had not but they their his her its you we he she i my your our who what there been will \
         would can more one all no if so than when into out up only over also about some these may such \
         between through under any each do does did how where",
    ),
    (
        Language::De,
        "der die das und in den von zu mit sich des auf für ist im dem nicht ein eine als auch es an \
         werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war \
         haben nur oder aber vor zur bis mehr durch man sein wurde ich wir ihr sehr kann unter wenn schon \
         mein dein sein keine heute gestern diese dieser dieses",
    ),
    (
        Language::Fr,
        "de la le et les des en un du une que est pour qui dans par plus pas sur ne se ce il sont avec au \
         aux à son sa ses cette ou mais nous vous ils elle elles je tu on été être avoir leur leurs très \
         comme tout tous même sans sous ces dont où était l d qu mon ma mes votre notre",
    ),
    (
        Language::Es,
        "de la que el en y a los del se las por un para con no una su al lo como más pero sus le ya o este \
         sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante \
         todos uno les ni contra otros ese eso ante ellos e esto mí antes algunos qué unos yo otro son está \
         es fue ser mi tu nuestro",
    ),
    (
        Language::It,
        "di e il la che in un a per è una non sono con si da come i le dei del della al alla nel nella lo \
         gli ma anche più se ha su questo questa delle degli dal dalla sul sulla mi ti ci vi lui lei noi \
         voi loro essere molto molti molte tutti tutto o ai alle sui nei mio tuo suo",
    ),
    (
        Language::Pt,
        "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das \
         tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era \
         depois sem mesmo aos ter seus quem nas me esse eles estão você num numa meu minha são",
    ),
    (
        Language::Nl,
        "de het een en van ik te dat die in je is niet op zijn met voor er maar om hem dan zou wat mijn \
         men dit zo door over ze zich bij ook tot uit der naar had heeft hebben aan nog wordt wel geen \
         werd hij deze waren veel meer onder al kan ons onze wij zij als worden",
    ),
    (
        Language::Sv,
        "och det att i en jag hon som han på den med var sig för så till är men ett om hade de av icke mig \
         du henne då sin nu har inte hans honom skulle hennes där min man ej vid kunde något från ut när \
         efter upp vi dem vara vad över än dig kan sina här ha mot alla under eller genom mycket",
    ),
    (
        Language::Da,
        "og i det at en den til er som på de med han af for ikke der var et har jeg men sig om vi havde \
         hun nu over da fra du ud sin dem os op man hans hvor eller hvad skal selv her alle vil blev \
         kunne ind når være kun noget deres efter mit også være bliver gennem meget",
    ),
    (
        Language::No,
        "og i det at en et den til er som på de med han av for ikke der var har jeg men seg om vi hadde \
         hun nå over da fra du ut sin dem oss opp man hans hvor eller hva skal selv her alle vil ble \
         kunne inn når være kun noe deres etter mitt også bli gjennom mye mellom",
    ),
    (
        Language::Fi,
        "ja on ei se että oli hän ovat joka mutta ole kun niin myös mitä minä sen tämä mukaan jo kuin \
         tai sinä he ne me te jos nyt vain hänen minun tässä siitä sitä olla ollut kanssa voi sekä sillä \
         tämän kaikki jossa koska oma siellä siinä vielä hyvin joita",
    ),
    (
        Language::Hu,
        "a az és hogy nem is egy ez de csak van meg volt már mint ki még vagy be el ha kell lehet sem én \
         ő mi ti ők aki ami ezt azt lesz fel le most itt ott ahol nagyon sok kis nagy vannak minden több \
         után között szerint mert amely alatt jó úgy",
    ),
    (
        Language::Tr,
        "ve bir bu da de için ile olarak çok daha en gibi o ne ama var olan kadar sonra ben sen biz siz \
         onlar değil mi mı her ya göre ki bana beni sana şu yok oldu önce içinde şey ancak ise \
         veya hem kendi olduğu güzel",
    ),
    (
        Language::Pl,
        "i w na z do się nie to że jest o jak po co ale od za przez dla są tak ma jego był czy już być \
         tym było tylko oraz lub przy ich by ze jej pod gdy była więc ten ta te tego mnie go mi może \
         który która które bardzo jestem",
    ),
    (
        Language::Ro,
        "și de în a la cu care pe nu este un o din să pentru mai se că au fost sunt ce sau prin al ale \
         dar după fi lui are acest această am le său unei unui către ca era ei el ea noi voi foarte când \
         între fără cum dacă",
    ),
    (
        Language::Ca,
        "de la i el que a en un les del per una amb els al és no es com més o ha dels són ser seva seu \
         aquest aquesta però també l d pel pels molt va tot entre fins sense sobre quan on hi ho ens \
         seus seves ja nens aquests està",
    ),
    (
        Language::Id,
        "yang dan di ini dengan untuk dari dalam tidak itu akan pada juga saya ke adalah oleh ada atau \
         kita mereka sudah dia telah bisa kami tersebut lebih karena anda seorang para satu bahwa secara \
         sangat hanya aku kamu lain dapat namun sebagai",
    ),
    (
        Language::Ga,
        "agus an na ar ag go le tá bhí sé sí ní leis nach mar bhfuil gur chun sa san faoi mé tú siad \
         bheith mbord ina raibh iad",
    ),
];

/// Words among these that mean something of their own, or are names: they tell a language, and yet are looked for.
const CONTENT_WORDS: [(Language, &str); 9] = [
    (Language::En, "one may"),
    (Language::De, "heute gestern"),
    (Language::Fr, "été"),
    (Language::Fi, "hyvin"),
    (Language::Hu, "kis nagy jó"),
    (Language::Tr, "güzel"),
    (Language::Ca, "nens"),
    (Language::Id, "satu"),
    (Language::Ga, "mbord"),
];

/// The words of a language that say nothing by themselves.
pub(crate) fn function_words(language: Language) -> impl Iterator<Item = &'static str> {
    let of = move |lists: &'static [(Language, &'static str)]| {
        let lists = lists.iter().filter(move |(one, _)| *one == language);
        lists.flat_map(|(_, words)| words.split_ascii_whitespace())
    };
    let all = of(&FUNCTION_WORDS);
    all.filter(move |word| of(&CONTENT_WORDS).all(|content| content != *word))
}

/// Letters that few languages have. Together they count as one word.
const LETTERS: [(Language, &str); 12] = [
    (Language::De, "äöüß"),
    (Language::Fr, "çœêèù"),
    (Language::Es, "ñ¿¡"),
    (Language::Pt, "ãõç"),
    (Language::Sv, "åäö"),
    (Language::Da, "æøå"),
    (Language::No, "æøå"),
    (Language::Fi, "äö"),
    (Language::Hu, "őűöü"),
    (Language::Tr, "ışğçöü"),
    (Language::Pl, "ąęłżźćńś"),
    (Language::Ro, "ășțâî"),
];

/// The languages of which a word is a function word, a bit each.
type Languages = u32;

struct Table {
    /// Words by a hash of theirs, in places to be tried one after the other.
    slots: Vec<(u64, Languages)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let words = FUNCTION_WORDS.iter().flat_map(|&(language, words)| {
        let words = words.split_ascii_whitespace();
        words.map(move |word| (language, word))
    });
    let mut table = Table {
        slots: vec![(0, 0); 4_096],
    };
    for (language, word) in words {
        let Some(key) = key_of(word.as_bytes()) else {
            continue;
        };
        let place = table.place(key);
        table.slots[place].0 = key;
        table.slots[place].1 |= 1 << language as u32;
    }
    table
});

impl Table {
    /// The place of a word, or the one where it would be.
    #[inline]
    fn place(&self, key: u64) -> usize {
        // Fibonacci hashing: 2^64 divided by the golden ratio.
        let mut place = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize;
        while self.slots[place].0 != key && self.slots[place].0 != 0 {
            place = (place + 1) % self.slots.len();
        }
        place
    }

    #[inline]
    fn languages_of(&self, word: &[u8]) -> Languages {
        key_of(word).map_or(0, |key| self.slots[self.place(key)].1)
    }
}

/// The bytes of a short word as a number.
#[inline]
fn key_of(word: &[u8]) -> Option<u64> {
    let mut bytes = [0; WORD_BYTES_MAX];
    bytes.get_mut(..word.len())?.copy_from_slice(word);
    Some(u64::from_le_bytes(bytes)).filter(|&key| key != 0)
}

/// The language of a text.
pub(super) fn detect(text: &str) -> Language {
    told(text).unwrap_or_default()
}

/// The language of a text, if its words tell that it is another one than English.
pub(crate) fn told(text: &str) -> Option<Language> {
    let text = &text[..text.floor_char_boundary(BYTES_MAX)];
    let mut votes = Votes::default();
    match text.is_ascii() {
        true => votes.count_ascii(text.as_bytes()),
        false => {
            let text = text.to_lowercase();
            // A letter alone tells little.
            if votes.count_words(&text) {
                votes.count_letters(&text);
            }
        }
    }
    votes.winner()
}

#[derive(Default)]
struct Votes([u32; LANGUAGES]);

impl Votes {
    fn count_ascii(&mut self, text: &[u8]) {
        let table = &*TABLE;
        let (mut word, mut length) = ([0; WORD_BYTES_MAX], 0);
        for &byte in text.iter().chain(b" ") {
            if byte.is_ascii_alphabetic() {
                if length < WORD_BYTES_MAX {
                    word[length] = byte.to_ascii_lowercase();
                }
                length += 1;
            } else if length > 0 {
                if length <= WORD_BYTES_MAX && self.add(table.languages_of(&word[..length])) {
                    return;
                }
                length = 0;
            }
        }
    }

    /// Tells whether any word was a function word.
    fn count_words(&mut self, text: &str) -> bool {
        let table = &*TABLE;
        let words = text.split(|c: char| !c.is_alphabetic());
        for word in words {
            if self.add(table.languages_of(word.as_bytes())) {
                break;
            }
        }
        self.0.iter().any(|&count| count > 0)
    }

    fn count_letters(&mut self, text: &str) {
        for (language, letters) in LETTERS {
            self.0[language as usize] += u32::from(text.contains(|c| letters.contains(c)));
        }
    }

    /// Tells whether it is decided.
    #[inline]
    fn add(&mut self, mut languages: Languages) -> bool {
        if languages == 0 {
            return false;
        }
        while languages != 0 {
            self.0[languages.trailing_zeros() as usize] += 1;
            languages &= languages - 1;
        }
        let (mut most, mut next) = (0, 0);
        for &count in &self.0 {
            next = next.max(count.min(most));
            most = most.max(count);
        }
        most >= next + LEAD_ENOUGH
    }

    fn winner(&self) -> Option<Language> {
        let english = self.0[Language::En as usize];
        let count = |language: Language| self.0[language as usize];
        let others = FUNCTION_WORDS.iter().map(|&(language, _)| language).skip(1);
        let best = others.reduce(|best, one| if count(one) > count(best) { one } else { best });
        best.filter(|&best| count(best) >= english + LEAD_MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_told_by_their_common_words() {
        for (language, text) in [
            (
                Language::En,
                "the red dog barks at the cats of the neighbours",
            ),
            (
                Language::De,
                "Der Hund bellt und die Katze schläft auf dem Sofa",
            ),
            (
                Language::De,
                "Wir haben gestern im Wald mit den Kindern gespielt",
            ),
            (Language::Fr, "Nous avons mangé une pomme dans la cuisine"),
            (Language::Es, "Los perros de la casa son muy grandes"),
            (Language::It, "Il cane dorme sul divano della nonna"),
            (Language::Pt, "O cachorro dorme no sofá da avó"),
            (Language::Nl, "De hond slaapt op de bank van mijn oma"),
            (Language::Sv, "Hunden sover på soffan och katten är ute"),
            (
                Language::Da,
                "Hunden sover på sofaen og katten er ikke ude af huset",
            ),
            (
                Language::No,
                "Hunden sover på sofaen og katten er ikke ute av huset",
            ),
            (Language::Fi, "Koira nukkuu ja kissa ei ole ulkona"),
            (Language::Hu, "A kutya alszik és a macska nem eszik"),
            (
                Language::Tr,
                "Köpek uyuyor ve kedi bir bardak süt için bekliyor",
            ),
            (Language::Pl, "Pies śpi na kanapie i nie chce wstać"),
            (Language::Ro, "Câinele doarme pe canapea și nu se trezește"),
            (Language::Ca, "El gos dorm al sofà amb els nens i la mare"),
            (Language::Id, "Anjing itu tidur di sofa dan tidak bangun"),
            (
                Language::Ga,
                "Tá an madra ina chodladh ar an tolg agus tá an cat ag ithe",
            ),
        ] {
            assert_eq!(detect(text), language, "{text}");
        }
    }

    #[test]
    fn a_short_or_uncertain_text_is_english() {
        for text in [
            "",
            "Nike Air Zoom Pegasus",
            "Café au lait",
            "die cast in steel",
            "Eau de Parfum",
            "Schadenfreude",
            "東京都に住んでいます",
            "Книги лежат на столе",
            "the café in the rue de la Paix",
            "a b c d e f g",
        ] {
            assert_eq!(detect(text), Language::En, "{text}");
        }
    }

    #[test]
    fn every_function_word_is_found() {
        for (language, words) in FUNCTION_WORDS {
            for word in words.split_ascii_whitespace() {
                let found = TABLE.languages_of(word.as_bytes());
                assert!(found & 1 << language as u32 != 0, "{word}");
            }
        }
    }

    #[test]
    fn words_that_mean_something_are_function_words_no_more() {
        for (language, words) in CONTENT_WORDS {
            let all = FUNCTION_WORDS.iter().find(|(one, _)| *one == language);
            let mut all = all.unwrap().1.split_ascii_whitespace();
            for word in words.split_ascii_whitespace() {
                assert!(all.any(|one| one == word), "{word} tells no language");
                assert!(function_words(language).all(|one| one != word), "{word}");
            }
        }
        assert_eq!(function_words(Language::De).count() + 2, {
            let all = FUNCTION_WORDS.iter().find(|(one, _)| *one == Language::De);
            all.unwrap().1.split_ascii_whitespace().count()
        });
    }

    #[test]
    fn only_the_beginning_is_looked_at() {
        let long = "é".repeat(BYTES_MAX) + " der die das und";
        assert_eq!(detect(&long), Language::En);
    }
}
